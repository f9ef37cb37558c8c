// The search of the site. It takes MiniSearch as a parameter, because a browser and a test load that library from different places.

const STOP_WORDS = new Set(
  "a an and are by can do for from have how i in is it my of on or the this to what who why with".split(" ")
)
const MAX_RESULTS = 12
const MAX_RESULTS_PER_PAGE = 2
/** A second section of a page is shown only if its score is at least this part of the page's best score. */
const SECOND_SCORE_RATIO = 0.5

const splitWords = (text) => text.split(/[^\p{L}\p{N}]+/u)

/** Returns the form in which a word is searched: in lower case, and in the singular if it is a regular English plural. */
const toTerm = (word) => word.toLowerCase().replace(/([^s]{3})s$/, "$1")

export const toTerms = (text) =>
  splitWords(text)
    .filter((word) => word !== "")
    .map(toTerm)

const INDEX_OPTIONS = {
  fields: ["title", "heading", "names", "keywords", "text"],
  storeFields: ["title", "heading", "description", "href"],
  tokenize: splitWords,
  processTerm: (word) => (STOP_WORDS.has(word.toLowerCase()) ? null : toTerm(word)),
  searchOptions: {
    boost: { title: 4, heading: 3, names: 2, keywords: 2 },
    // A page counts more than its sections, and a table of fields more than a text that mentions a field.
    boostDocument: (_id, _term, { title, heading }) => (heading === title ? 4 : heading === "Fields" ? 2 : 1),
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 4 ? 0.15 : false)
  }
}

/** How much more an entry counts that has all words of the query, or that has the query as its title. */
const ALL_WORDS_BOOST = 4
const SAME_TITLE_BOOST = 1000

/** Returns a function that finds the entries of `search.json` for a query, the best first. */
export const createSearch = (MiniSearch, entries) => {
  const index = new MiniSearch(INDEX_OPTIONS)
  index.addAll(entries)
  return (query) => {
    const idsWithAllWords = new Set(index.search(query, { combineWith: "AND" }).map(({ id }) => id))
    const queryText = toTerms(query).join(" ")
    const withBoosts = (entry) => ({
      ...entry,
      score:
        entry.score *
        (idsWithAllWords.has(entry.id) ? ALL_WORDS_BOOST : 1) *
        (entry.heading === entry.title && toTerms(entry.title).join(" ") === queryText ? SAME_TITLE_BOOST : 1)
    })
    const entriesByScore = index
      .search(query)
      .map(withBoosts)
      .sort((one, other) => other.score - one.score)
    const resultsByPage = new Map()
    for (const entry of entriesByScore) {
      const [page] = entry.href.split("#")
      const results = resultsByPage.get(page) ?? []
      const isGood = results.length === 0 || entry.score >= results[0].score * SECOND_SCORE_RATIO
      if (isGood && results.length < MAX_RESULTS_PER_PAGE) resultsByPage.set(page, [...results, entry])
    }
    return Array.from(resultsByPage.values()).flat().slice(0, MAX_RESULTS)
  }
}
