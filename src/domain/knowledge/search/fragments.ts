import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
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

/**
 * What a fragment is found by, as the database keeps it: each term of {@link KnowledgeFragment.searchable} is a lexeme as it
 * stands. No parser or dictionary of the database is asked: its parser makes one word of a Chinese sentence, and cuts others
 * otherwise than a question is cut. Whoever changes what terms are has every entry prepared again, by a migration that makes each `waiting`
 * and raises its revision: fragments of a revision are written once.
 */
export const searchVectorSql = (sql: SqlClient, searchable: Fragment): Fragment =>
  sql`array_to_tsvector(string_to_array(${searchable}, ' '))`
