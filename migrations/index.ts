import type { Migration } from "../src/database/migration.ts"
import foundation from "./0001_foundation.ts"
import windows from "./0002_windows.ts"
import portfolio from "./0003_portfolio.ts"
import availability from "./0004_availability.ts"
import work from "./0007_work.ts"

/** In the order they run. A migration that was released is never edited: the next one changes what it made. */
export const migrations: ReadonlyArray<Migration> = [
  { id: 1, name: "foundation", up: foundation },
  { id: 2, name: "windows", up: windows },
  { id: 3, name: "portfolio", up: portfolio },
  { id: 4, name: "availability", up: availability },
  { id: 7, name: "work", up: work }
]
