"""The families that a table can be learned by: their names, and what a component is.

They stand alone, so that a command can declare its options without importing what learns.
"""

FAMILIES = {
    "gaussian": "Gaussian with full covariance",
    "diagonal": "Gaussian with independent columns (diagonal covariance)",
    "spherical": "Gaussian with one width for all columns (spherical covariance)",
    "bernoulli": "independent yes/no items (Bernoulli)",
    "categorical": "independent categories (categorical)",
    "poisson": "independent counts (Poisson)",
    "columns": "independent columns, each of its own kind (columns)",
}
