"""Stock gymnasium wrappers and vector envs work as they are; ours add what text needs."""

import importlib.util
import tempfile
from pathlib import Path

import gymnasium as gym
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics, RecordVideo, TimeLimit

import gem_gymnasium
from gem_gymnasium.wrappers import History, NormalizeScore

ID = "gem/Sudoku-easy-v0"


def make() -> gym.Env:
    """Build one env with stock wrappers."""
    return RecordEpisodeStatistics(TimeLimit(gym.make(ID), max_episode_steps=5))


def single() -> None:
    """Wrap one env, and record a video of it."""
    env = History(NormalizeScore(make()), layout="messages")
    _, info = env.reset(seed=1)
    over = False
    while not over:
        reply = env.unwrapped.sample_legal_action(env.np_random)
        _, _, terminated, truncated, info = env.step(reply)
        over = terminated or truncated
    print(f"after {info['episode']['l']} turns, truncated by TimeLimit: {truncated}")
    print(f"normalized score {info['normalized_score']:.2f}, {len(info['messages'])} messages")

    if not all(map(importlib.util.find_spec, ("PIL", "moviepy"))):
        print("a video needs Pillow and moviepy: run `pip install 'gem-gymnasium[games]'`")
        return
    with tempfile.TemporaryDirectory() as folder:
        videos = Path(folder, "videos")
        video = RecordVideo(gym.make(ID, render_mode="rgb_array"), str(videos))
        video.reset(seed=1)
        video.step(r"\boxed{1 1 1}")
        video.close()
        print("recorded", [path.name for path in videos.iterdir()])


def vector() -> None:
    """Step four games at once: in one process, in four, and on threads."""
    for vector_env in (
        SyncVectorEnv([make] * 4),
        AsyncVectorEnv([make] * 4),
        gem_gymnasium.make_vec([ID, "gem/Mastermind-easy-v0"], num_envs=4, mode="thread"),
    ):
        vector_env.reset(seed=0)
        _, rewards, *_, infos = vector_env.step([r"\boxed{1 1 1}"] * 4)
        print(type(vector_env).__name__, list(infos["event"]), rewards)
        vector_env.close()


if __name__ == "__main__":  # AsyncVectorEnv starts processes
    single()
    vector()
