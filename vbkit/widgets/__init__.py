"""Explorers: pictures that answer to sliders."""
