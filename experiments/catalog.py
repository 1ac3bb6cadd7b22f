"""All experiments, in the order of the page of results."""

from experiments import (
    every_method,
    general_cells,
    kactus_data_sets,
    kactus_methods,
    kactus_scale,
    kept_and_learned,
    months,
    sharing_generation,
    sharing_pruning,
    trees_confidence,
    trees_grouped,
    trees_k,
    trees_spans,
    trees_table,
)
from experiments.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each
    for each in (
        trees_k.EXPERIMENT,
        trees_confidence.EXPERIMENT,
        trees_table.EXPERIMENT,
        trees_spans.EXPERIMENT,
        trees_grouped.EXPERIMENT,
        general_cells.EXPERIMENT,
        kactus_data_sets.EXPERIMENT,
        kactus_methods.EXPERIMENT,
        kactus_scale.EXPERIMENT,
        sharing_generation.EXPERIMENT,
        sharing_pruning.EXPERIMENT,
        every_method.EXPERIMENT,
        kept_and_learned.EXPERIMENT,
        months.EXPERIMENT,
    )
}
