import { fragmentTexts } from "./rules/sentences.ts"
import { namesOf, termsOf } from "./rules/terms.ts"

/** A piece of an entry that answers by itself. */
export interface KnowledgeFragment {
  readonly sub_title: string
  readonly text: string
  /** What it is found by, terms separated by blanks: for `wordsOf`. */
  readonly searchable: string
}

/** What an entry is searched by: its contents in pieces, in their order. */
export const fragmentsOf = (entry: {
  readonly title: string
  readonly contents: ReadonlyArray<{ readonly sub_title: string; readonly text: string }>
}): ReadonlyArray<KnowledgeFragment> =>
  entry.contents.flatMap(({ sub_title, text }) =>
    fragmentTexts(text).map((piece) => ({
      sub_title,
      text: piece,
      searchable: Array.from(namesOf([entry.title, sub_title, piece].flatMap((each) => termsOf(each)))).join(" ")
    }))
  )
