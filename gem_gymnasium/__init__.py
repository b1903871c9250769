"""GEM's tasks as gymnasium environments.

Importing this package registers every id (a table of strings; nothing heavy is imported)::

    import gymnasium
    import gem_gymnasium

    env = gymnasium.make("gem/GuessTheNumber-v0")

Code that only takes an id writes ``gymnasium.make("gem_gymnasium:gem/GuessTheNumber-v0")``.
"""

from gem_gymnasium import registry

registry.register()
