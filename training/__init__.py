"""Scripts that train players: read ppo.py first, then self_play_learner.py and run.py."""

import os
import sys

# Threads of ours share the work. Each of them would otherwise wake others for every small product of matrices, which on
# a busy computer makes play against checkpoints many times slower. This must be said before NumPy is loaded.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")


def _check_libraries() -> None:
    from card_envs.errors import MissingExtraError
    from card_envs.extras import need

    try:
        for module in ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "jsonargparse", "filelock", "yaml"):
            need("training", module, "train")
    except MissingExtraError as error:
        if sys.argv[0] == "-m":  # somebody has typed python -m training.something: one sentence, and no traceback
            sys.exit(str(error))
        raise


_check_libraries()
