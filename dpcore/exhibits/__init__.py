"""What a page computes and draws: a folder a page. The files named `figure` or `…_figure` draw, all others compute."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
