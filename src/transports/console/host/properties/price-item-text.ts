import type { Schema } from "effect"
import type { PriceItem } from "../../../../domain/properties/properties/price-items.ts"

// Fees and taxes as lines of a text area, such as `Cleaning: 40 per stay` and `VAT: 10% per stay`.

export const PRICE_ITEM_EXAMPLES =
  "One per line, such as “Cleaning: 40 per stay”, “Towels: 3.50 per guest” or “VAT: 10% per stay”."

export const formatPriceItems = (items: ReadonlyArray<PriceItem>): string =>
  items
    .map(({ name, amount, percent, per }) => `${name}: ${percent === undefined ? amount : `${percent}%`} per ${per}`)
    .join("\n")

const ITEM_LINE = /^(?<name>.*):\s*(?<value>\d+(?:\.\d+)?)\s*(?<sign>%?)(?:\s+per\s+(?<per>\w+))?$/

/** An unreadable line becomes an item without an amount, so that update_property returns an error with its position. */
const parseItem = (line: string): Schema.Json => {
  const { name, value, sign, per = "stay" } = ITEM_LINE.exec(line)?.groups ?? {}
  if (name === undefined || value === undefined) return { name: line, per: "stay" }
  return { name: name.trim(), ...(sign === "%" ? { percent: Number(value) } : { amount: Number(value) }), per }
}

export const parsePriceItems = (text: string): Schema.Json =>
  text
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(parseItem)
