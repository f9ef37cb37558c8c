import { createHash } from "node:crypto"
import { BASE_STYLES } from "./base.ts"
import { CALENDAR_STYLES } from "./calendar.ts"
import { COLOR_STYLES } from "./colors.ts"
import { CONVERSATION_STYLES } from "./conversations.ts"
import { FORM_STYLES } from "./forms.ts"
import { OVERVIEW_STYLES } from "./overview.ts"
import { SINGLE_PAGE_STYLES } from "./pages.ts"
import { PART_STYLES } from "./parts.ts"
import { PRICE_STYLES } from "./prices.ts"
import { RECORD_PAGE_STYLES } from "./record-pages.ts"
import { SHELL_STYLES } from "./shell.ts"
import { STAY_STYLES } from "./stays.ts"
import { SUMMARY_STYLES } from "./summaries.ts"
import { TABLE_STYLES } from "./tables.ts"

export const STYLE = [
  COLOR_STYLES,
  BASE_STYLES,
  SHELL_STYLES,
  PART_STYLES,
  FORM_STYLES,
  TABLE_STYLES,
  CALENDAR_STYLES,
  SINGLE_PAGE_STYLES,
  RECORD_PAGE_STYLES,
  CONVERSATION_STYLES,
  OVERVIEW_STYLES,
  SUMMARY_STYLES,
  PRICE_STYLES,
  SINGLE_PAGE_STYLES,
  STAY_STYLES
].join("")

export const STYLE_PATH = `/console/${createHash("sha256").update(STYLE).digest("hex").slice(0, 16)}.css`
