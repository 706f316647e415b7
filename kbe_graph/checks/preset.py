"""The checks that no run goes without, and those that are conditions of the paper (KBE, section 3.2)."""

from kbe_graph.checks.cycle import Cycle
from kbe_graph.checks.flaw import Flaw
from kbe_graph.checks.functional import Functional
from kbe_graph.checks.generic import Generic
from kbe_graph.checks.grounded import Contradicted, Unsupported
from kbe_graph.checks.instruction import Instruction, WordedInstruction
from kbe_graph.checks.leak import WordedLeak
from kbe_graph.checks.needed import ImageNotNeeded
from kbe_graph.checks.not_a_noun import Noun
from kbe_graph.checks.other_reasons import NOT_REPRESENTATIVE, NOT_VERIFIED
from kbe_graph.checks.path import PATH_CHECKS, PathLeak
from kbe_graph.checks.readable import Readable
from kbe_graph.checks.root import Root
from kbe_graph.checks.same_subject import Subject

SUM = frozenset(check.name for check in (Functional, Generic, ImageNotNeeded))
"""What makes an object representative where no model is asked."""
PAPER = frozenset({Noun.name, Cycle.name, NOT_REPRESENTATIVE, WordedLeak.name})
"""The three parts of the paper's answer filter, and what it demands of the words of a new question."""
FIXED = frozenset(
    {
        *(check.name for check in (Instruction, Subject, WordedInstruction, PathLeak)),
        *(check.name for check in (Readable, Root, Flaw)),
        *(check.name for check in PATH_CHECKS if check.is_fixed),
        *(Contradicted.name, Unsupported.name, NOT_VERIFIED),
    }
)
"""What keeps text from speaking to a model, what rules must have to word at all, and what options of their own set."""
