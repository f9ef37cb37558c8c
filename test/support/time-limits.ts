// Limits of tests that need longer than the two minutes after which a hanging test fails, in milliseconds.

/** For tests that start processes and wait for their ends. A start takes up to ten seconds where five workers share two cores, and three times as long on a slow machine. */
export const PROCESSES_MS = 480_000

/** For tests that visit every page of the console, some of them in a browser. */
export const EVERY_PAGE_MS = 300_000

/** For properties whose every input is a sequence of changes in the database. */
export const SEQUENCES_MS = 360_000

/** For tests that make several databases from nothing. Each takes three seconds of a core that nothing else uses. */
export const NEW_DATABASES_MS = 360_000

/** For attacks that send some thousand requests one after the other. They take a minute on a quiet machine. */
export const REQUESTS_MS = 900_000

/** For one action in a browser. The page that lists all operations takes seven seconds on a quiet, slow machine. */
export const PAGE_ACTION_MS = 120_000
