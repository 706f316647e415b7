// kind: read
// All errata.
// column erratum: the properties of the node
MATCH (erratum:Erratum)
RETURN properties(erratum) AS erratum
