"""All experiments, in the order of the page of results."""

from experiments import (
    general_cells,
    kactus_data_sets,
    kactus_methods,
    kactus_scale,
    sharing_generation,
    sharing_pruning,
)
from experiments.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each
    for each in (
        general_cells.EXPERIMENT,
        kactus_data_sets.EXPERIMENT,
        kactus_methods.EXPERIMENT,
        kactus_scale.EXPERIMENT,
        sharing_generation.EXPERIMENT,
        sharing_pruning.EXPERIMENT,
    )
}
