"""What students might answer in notebook 07."""


def free_energy__one_covariance_for_all_rows(V, A, cov_A, B, cov_B, prior_a, prior_b, noise):
    """Each is too small"""
    AA, BB = A.T @ A + cov_A, B.T @ B + cov_B
    twice = V.size * np.log(2 * np.pi * noise)
    twice += (np.sum(V**2) - 2 * np.trace(V.T @ B @ A.T) + np.trace(AA @ BB)) / noise
    twice += (
        len(A) * (np.log(prior_a).sum() - np.linalg.slogdet(cov_A)[1])
        + (np.diag(AA) / prior_a).sum()
    )
    twice += (
        len(B) * (np.log(prior_b).sum() - np.linalg.slogdet(cov_B)[1])
        + (np.diag(BB) / prior_b).sum()
    )
    return (twice - sum(V.shape) * len(prior_a)) / 2


def free_energy__forgot_minus_H(V, A, cov_A, B, cov_B, prior_a, prior_b, noise):
    """Each is too large by 9."""
    return (
        answers.free_energy(V, A, cov_A, B, cov_B, prior_a, prior_b, noise)
        + (len(A) + len(B)) * len(prior_a) / 2
    )


def free_energy__twice(V, A, cov_A, B, cov_B, prior_a, prior_b, noise):
    """Each is 2 times what is expected"""
    return 2 * answers.free_energy(V, A, cov_A, B, cov_B, prior_a, prior_b, noise)


def free_energy__forgot_two_pi(V, A, cov_A, B, cov_B, prior_a, prior_b, noise):
    """Each is too small by 18.37877"""
    return (
        answers.free_energy(V, A, cov_A, B, cov_B, prior_a, prior_b, noise)
        - V.size * np.log(2 * np.pi) / 2
    )


def kept__variance_as_scale(V, noise):
    """Right at 1 of 4 inputs"""
    return int((np.linalg.svd(V, compute_uv=False) > noise * thresholds(V.shape).keep).sum())


def kept__local_threshold(V, noise):
    """too large by 1"""
    return int(
        (np.linalg.svd(V, compute_uv=False) > np.sqrt(noise) * thresholds(V.shape).local).sum()
    )


def evidence_slope__forgot_the_half(v, noise):
    """Each is 2 times what is expected"""
    return (v**2 - noise) / noise**2


def evidence_slope__standard_deviation(v, noise):
    """Right at 3 of 4 inputs"""
    return (v**2 - noise) / (2 * noise)


def evidence_slope__sign(v, noise):
    """The sign is wrong"""
    return (noise - v**2) / (2 * noise**2)
