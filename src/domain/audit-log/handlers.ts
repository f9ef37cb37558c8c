import { Effect } from "effect"
import { CurrentCaller } from "../../contract/caller.ts"
import { Forbidden, ValidationFailed } from "../../contract/errors.ts"
import { formatUtcInstant, toInstant } from "../../contract/time.ts"
import { PAGE_DEFAULT } from "../../platform/limits.ts"
import { handleOperations, layerOperations } from "../operation-handlers.ts"
import { formatAuditCursor, parseAuditCursor } from "./audit-range.ts"
import { type AuditLogEntry, AuditLogOperations, type search_audit_log } from "./contract.ts"
import { type AuditLogRow, AuditLogStore } from "./store.ts"

const searchAuditLog = (store: AuditLogStore["Service"]) =>
  Effect.fnUntraced(function* (payload: typeof search_audit_log.payloadSchema.Type) {
    const { operatorId, role, grantId, timeZone } = yield* CurrentCaller
    if (role !== "main" || grantId !== null) return yield* mainAccountTokenRequiredError
    const { record, cursor, limit = PAGE_DEFAULT } = payload
    const [since, until] = [payload.since, payload.until].map((text) =>
      text === undefined ? undefined : toInstant(text, timeZone)
    )
    if (since !== undefined && until !== undefined && since >= until) return yield* emptyRangeError
    const before = cursor === undefined ? undefined : parseAuditCursor(cursor)
    const rows = yield* store.search({ operatorId, record, since, until, before }, limit + 1)
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    return {
      entries: page.map(toEntry),
      next_cursor: rows.length > limit && last !== undefined ? formatAuditCursor(last) : null
    }
  })

const toEntry = (row: AuditLogRow): AuditLogEntry => ({ ...row, at: formatUtcInstant(row.at) })

const mainAccountTokenRequiredError = new Forbidden({
  message: "Only an access token of the main account can read the audit log, and no token of a connected application."
})
const emptyRangeError = new ValidationFailed({ message: "since: must be before until." })

export const layerAuditLog = layerOperations(
  Effect.map(AuditLogStore, (store) =>
    handleOperations(AuditLogOperations, { search_audit_log: searchAuditLog(store) })
  )
)
