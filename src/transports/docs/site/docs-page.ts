/** People read it as HTML and agents as Markdown. */
export interface DocsPage {
  /** Part of the page's addresses: `reference/{slug}.html` and `reference/{slug}.md`. */
  readonly slug: string
  readonly title: string
  readonly description: string
  /** The heading above the page in the list of pages. */
  readonly section: string
  /** Links to other pages are `{slug}.md`. */
  readonly markdown: string
}

export type DocsPageSummary = Omit<DocsPage, "markdown">
