// A page of the documentation: what a person reads as HTML and an agent as Markdown.

export interface DocsPage {
  /** Its name in both addresses, `reference/{slug}.html` and `reference/{slug}.md`. */
  readonly slug: string
  readonly title: string
  /** A sentence. */
  readonly description: string
  /** Under which heading the list of pages has it. */
  readonly section: string
  /** Links between pages are `{slug}.md`. */
  readonly markdown: string
}

/** What a list says of a page: its name and the sentence about it. */
export type DocsPageSummary = Omit<DocsPage, "markdown">
