// kind: write
// Takes the links of pictures to items out of the graph.
// parameter ids: picture ids
UNWIND $ids AS id
MATCH (:Picture {id: id})-[about:ABOUT]->(:Item)
DELETE about
