import { Schema } from "effect"
import { PAGE_DEFAULT, PAGE_MAX } from "../platform/limits.ts"
import { Integer } from "./fields.ts"

export const pageFieldsOf = (defaultLimit: number) => ({
  offset: Schema.optionalKey(Integer.check(Schema.isGreaterThanOrEqualTo(0, { expected: "at least 0" }))).annotateKey({
    documentation:
      "Rows to skip, from the start of the list. If rows enter or leave the filter between two calls, pages can repeat or skip rows."
  }),
  limit: Schema.optionalKey(
    Integer.check(Schema.isBetween({ minimum: 1, maximum: PAGE_MAX }, { expected: `from 1 to ${PAGE_MAX}` })).annotate({
      default: defaultLimit
    })
  ).annotateKey({ documentation: "Most rows to return." })
})

/** Contract facts 0.2. */
export const pageFields = pageFieldsOf(PAGE_DEFAULT)

/** The field `total` of a list's result. */
export const PageTotal = Schema.Int.annotateKey({ documentation: "Number of matching rows on all pages." })

export interface Page {
  readonly offset: number
  readonly limit: number
}

export const toPage = (
  payload: { readonly offset?: number; readonly limit?: number },
  defaultLimit: number = PAGE_DEFAULT
): Page => ({ offset: payload.offset ?? 0, limit: payload.limit ?? defaultLimit })
