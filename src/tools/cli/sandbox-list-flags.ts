import { Option } from "effect"
import { Flag } from "effect/cli"
import { PAGE_DEFAULT, PAGE_MAX } from "../../platform/limits.ts"

export const listFlags = {
  limit: Flag.Int("limit").pipe(
    Flag.withDescription(`Rows to list, at most ${PAGE_MAX} (default: ${PAGE_DEFAULT})`),
    Flag.withDefault(PAGE_DEFAULT)
  ),
  offset: Flag.Int("offset").pipe(Flag.withDescription("Rows to skip (default: 0)"), Flag.withDefault(0)),
  operator: Flag.Int("operator").pipe(
    Flag.withDescription("List only rows of this operator_id (default: all operators)"),
    Flag.optional
  )
}

export const toPageRequest = ({ limit, offset }: { readonly limit: number; readonly offset: number }) => ({
  limit: Math.min(Math.max(limit, 0), PAGE_MAX),
  offset: Math.max(offset, 0)
})

export const toOperatorFilter = (operator: Option.Option<number>) =>
  Option.match(operator, { onNone: () => ({}), onSome: (operator_id) => ({ operator_id }) })
