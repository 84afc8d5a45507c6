"""The template registry with effects: releases, drift, figures."""
