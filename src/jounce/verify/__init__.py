"""The verification book: closed forms, published numbers and other packages against what this package computes.

``jounce verify`` runs it; ``jounce.verify.book`` is the framework; every file of ``jounce.verify.cases`` is a topic.
"""
