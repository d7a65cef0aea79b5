"""Campaigns of very many generated calls."""
