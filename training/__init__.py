"""Scripts that train players: read ppo.py first, then self_play_learner.py and run.py."""

import os

# Threads of ours share the work. Each of them would otherwise wake others for every small product of matrices, which on
# a busy computer makes play against checkpoints many times slower. This must be said before NumPy is loaded.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
