/** What a precise index of code would tell. There is none; the types are here so that queries of public clients validate. */
export const CODE_INTELLIGENCE_TYPES = `
"""What a precise index tells about a file. This service has no such index."""
type GitBlobLSIFData {
  "Places of all symbols."
  stencil: [Range!]!
  ranges(startLine: Int!, endLine: Int!): CodeIntelligenceRangeConnection
  definitions(line: Int!, character: Int!, filter: String): LocationConnection!
  references(line: Int!, character: Int!, after: String, first: Int, filter: String): LocationConnection!
  implementations(line: Int!, character: Int!, after: String, first: Int, filter: String): LocationConnection!
  prototypes(line: Int!, character: Int!, after: String, first: Int, filter: String): LocationConnection!
  hover(line: Int!, character: Int!): Hover
}

"""What a precise index tells about a file. This service has no such index."""
type CodeGraphData {
  provenance: String!
  toolInfo: CodeGraphToolInfo
}

type CodeGraphToolInfo {
  name: String
  version: String
}

input CodeGraphDataFilter {
  provenance: String
}

type CodeIntelligenceRangeConnection {
  nodes: [CodeIntelligenceRange!]!
}

type CodeIntelligenceRange {
  range: Range!
  definitions: LocationConnection!
  references: LocationConnection!
  implementations: LocationConnection!
  hover: Hover
}

type LocationConnection {
  nodes: [Location!]!
  pageInfo: PageInfo!
}

type Hover {
  markdown: Markdown!
  range: Range!
}
`;
