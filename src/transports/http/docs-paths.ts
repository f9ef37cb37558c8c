/** Where the documentation is. */
export const DOCS_PATH = "/docs"

/** The page of that name, which tells more of what another page shows. */
export const docsPagePath = (slug: string): string => `${DOCS_PATH}/reference/${slug}.html`
