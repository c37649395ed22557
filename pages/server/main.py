"""The script every visit runs: page settings and navigation, nothing else."""

import streamlit as st

from pages.components import full_window, links, running_order, screen
from pages.components.routes import route
from pages.server import sessions, steps

NAVIGATION = {  # group, then folder and title of each page; the folder's name is the page's address
    "Understand": {
        "home": "Home",
        "learn": "Learn",
        "teach": "Teach",
        "privacy_curves": "Privacy curves",
        "composition": "Composition",
        "pure_noise": "What pure noise costs",
        "output_perturbation": "Output perturbation",
        "objective_perturbation": "Objective perturbation",
        "exponential_mechanism": "Exponential mechanism",
        "log_concave": "Log-concave pairs",
        "learning_limits": "Learning limits",
    },
    "Your data": {
        "per_instance": "Per-instance privacy",
        "privacy_map": "Privacy map",
        "private_training": "Private training",
        "decide": "Decide",
    },
    "Sources": {
        "gallery": "Gallery",
        "paper_figures": "Per-instance figures",
        "noise_augmentation": "Noise augmentation",
        "errata": "Errata",
    },
    "Verify": {
        "audit": "Audit",
        "cross_check": "Cross-check",
        "check_run": "Check my run",
    },
}

_WITHOUT_LECTURE = {"home", "teach", "gallery", "privacy_map", "audit"}
SHOWN = {"", *(name for pages in NAVIGATION.values() for name in pages)} - _WITHOUT_LECTURE


def draw() -> None:
    """Run the page that was asked for."""
    st.set_page_config(page_title="See differential privacy", layout="wide", initial_sidebar_state=330)
    sessions.register()
    groups = {
        group: [route(f"{group.lower().replace(' ', '_')}/{name}", title) for name, title in pages.items()]
        for group, pages in NAVIGATION.items()
    }
    page = st.navigation(groups, position="top")
    links.arrive((page.url_path, *running_order.place()))
    steps.watch()
    screen.measure()
    running_order.strip(page.url_path)
    if page.url_path in SHOWN:
        full_window.bar(running_order.slider())
    else:
        full_window.leave()
    page.run()


if __name__ == "__main__":
    draw()
