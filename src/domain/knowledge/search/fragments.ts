import { splitFragments } from "./rules/sentences.ts"
import { extractTerms, termNamesOf } from "./rules/terms.ts"

/** A piece of an entry that answers by itself. */
export interface KnowledgeFragment {
  readonly sub_title: string
  readonly text: string
  /** What it is found by, terms separated by blanks: for `searchVectorSql`. */
  readonly searchable: string
}

/** What an entry is searched by: its contents in pieces, in their order. */
export const toKnowledgeFragments = (entry: {
  readonly title: string
  readonly contents: ReadonlyArray<{ readonly sub_title: string; readonly text: string }>
}): ReadonlyArray<KnowledgeFragment> =>
  entry.contents.flatMap(({ sub_title, text }) =>
    splitFragments(text).map((fragmentText) => ({
      sub_title,
      text: fragmentText,
      searchable: Array.from(
        termNamesOf([entry.title, sub_title, fragmentText].flatMap((each) => extractTerms(each)))
      ).join(" ")
    }))
  )
