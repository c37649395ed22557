"""What each page computes and draws, one folder per page. Files called `figure` or `…_figure` draw, others compute."""

from dpcore.lazy import exports

__getattr__, __dir__ = exports(__name__)
