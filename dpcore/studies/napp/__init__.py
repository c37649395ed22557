"""Noise augmentation under study: simulations, pictures, utility theory, and the source's claims put to the test."""
