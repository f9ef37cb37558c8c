import { toPlainText } from "../html.ts"
import { OPERATION_TAGS } from "../operation-tags.ts"
import { toTerms } from "./assets/search.js"
import type { DocsPage } from "./docs-page.ts"
import { renderMarkdown } from "./markdown.ts"
import { SEARCH_SYNONYMS } from "./search-synonyms.ts"

/** A page, or a section of a page. */
interface SearchEntry {
  readonly id: number
  readonly title: string
  readonly heading: string
  /** Only in the entry of a page. */
  readonly description?: string
  /** The operation's name with other verbs, only in the entry of a page. */
  readonly names?: string
  /** Synonyms of words in the heading. The entry of a page also has its summary, and synonyms of words in it. */
  readonly keywords: string
  readonly text: string
  readonly href: string
}

/** Puts single spaces around each term, so that `includes` finds only whole words. */
const toTermText = (text: string): string => ` ${toTerms(text).join(" ")} `

const findSynonyms = (text: string): ReadonlyArray<string> => {
  const terms = toTermText(text)
  return Object.entries(SEARCH_SYNONYMS).flatMap(([synonym, phrases]) =>
    phrases.some((phrase) => terms.includes(toTermText(phrase))) ? [synonym] : []
  )
}

const READ_OPERATION = /^(?:search|query|get|list)_(.+)$/

/** Readers guess the verb of a read operation. */
const nameVariants = (slug: string): ReadonlyArray<string> => {
  const [, subject] = READ_OPERATION.exec(slug) ?? []
  return subject === undefined ? [] : ["search", "query", "get", "list"].map((verb) => `${verb} ${subject}`)
}

const OPERATION_SECTIONS = new Set(OPERATION_TAGS.map(({ title }) => title))
const SECTION_START = /(?=<h[1-6] id=)/
/** The example section of an operation is one entry without its code, because the code is similar on all pages. */
const OPERATION_SECTION_START = /(?=<h[12] id=)/
const CODE = /<pre[\s>][\s\S]*?<\/pre>/g
const HEADING = /<h[1-6] id="([^"]*)">(.*?)<\/h[1-6]>/

const toSearchEntries = (page: DocsPage): ReadonlyArray<Omit<SearchEntry, "id">> => {
  const { slug, title, description, section, markdown } = page
  const isOperation = OPERATION_SECTIONS.has(section)
  const body = renderMarkdown(markdown).html
  const sections = isOperation ? body.replaceAll(CODE, " ").split(OPERATION_SECTION_START) : body.split(SECTION_START)
  return sections.map((part, index) => {
    const [headingTag = "", anchor = "", headingHtml = ""] = HEADING.exec(part) ?? []
    const text = toPlainText({ html: part.slice(headingTag.length) })
    if (index === 0) {
      const keywords = [description, ...findSynonyms(`${title} ${description}`)]
      return {
        title,
        heading: title,
        description,
        names: nameVariants(slug).join(", "),
        keywords: keywords.join(", "),
        text,
        href: `reference/${slug}.html`
      }
    }
    const heading = toPlainText({ html: headingHtml })
    const href = `reference/${slug}.html#${anchor}`
    return { title, heading, keywords: findSynonyms(heading).join(", "), text, href }
  })
}

export const renderSearchIndex = (pages: ReadonlyArray<DocsPage>): string =>
  JSON.stringify(pages.flatMap(toSearchEntries).map((entry, id): SearchEntry => ({ id, ...entry })))
