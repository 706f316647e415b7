// kind: write
// Marks versions of releases whose questions are deleted; their records stay, so that no number is given twice.
// parameter ids: ids of versions
UNWIND $ids AS id
MATCH (release:Release {id: id})
SET release.forgotten = true
