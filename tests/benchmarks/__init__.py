"""How fast the engine is, as ratios: against what people use instead, and against what the
arithmetic alone costs.

Run `python -m tests.benchmarks` from the top folder, or name sections: `python -m tests.benchmarks
batch online`.

One process and one thread. Results are compared with plain NumPy before anything is timed. Every
round times peer, ours and limit in turn, in alternating order. A ratio is that of the 20th
percentiles, with the median of the paired ratios beside it. Ratios travel between machines better
than seconds, which are shown for orientation only."""
