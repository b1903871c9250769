"""Single-turn tasks: an episode is one row of a data set, the reply is graded, and that is all.

One family a file. Nothing is imported here: the registry reads the tables of this folder, and what
the tasks themselves need (graders, the sandbox) is for those who make one.
"""
