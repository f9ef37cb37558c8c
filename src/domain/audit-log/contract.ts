import { Schema } from "effect"
import { Forbidden } from "../../contract/errors.ts"
import { Id, InstantText, textUpTo } from "../../contract/fields.ts"
import { defineFamily } from "../../contract/operation.ts"
import { pageFields } from "../../contract/page.ts"
import { AUDIT_RECORD_LENGTH, AUDIT_RETENTION_MS } from "../../platform/limits.ts"
import { AUDIT_CURSOR_PATTERN, parseAuditCursor } from "./audit-range.ts"

const Cursor = Schema.String.check(
  Schema.makeFilter((text) => parseAuditCursor(text) !== undefined, {
    unreadable: true,
    expected: "a cursor, as this operation returns it",
    toJsonSchema: () => ({ pattern: AUDIT_CURSOR_PATTERN.source })
  })
)

export const AuditLogEntry = Schema.Struct({
  id: Id.annotateKey({ documentation: "Id of the entry." }),
  at: Schema.String.annotateKey({ documentation: "Time of the change, ISO 8601 in UTC." }),
  account_id: Schema.NullOr(Schema.Int).annotateKey({
    documentation:
      "Account that made the change. Null if a guest, a channel, a rule, a command or the service itself made it."
  }),
  account_name: Schema.NullOr(Schema.String).annotateKey({
    documentation: "Present name of the account. Null without an account."
  }),
  application: Schema.String.annotateKey({
    documentation:
      "Name of the access token or connected application. Otherwise `console`, `command line`, `guest` (the guest portal), `automation` (a rule), a channel such as `channel airbnb`, or a part of the service such as `service`, `retention` or `Latchkey`."
  }),
  operation: Schema.String.annotateKey({
    documentation:
      "Operation that made the change, such as `update_task`. Otherwise the name of a command, a form or a task of the service, such as `ingest order` for an update from a channel."
  }),
  request_id: Schema.NullOr(Schema.String).annotateKey({
    documentation: "`request_id` of the call that made the change, or null."
  }),
  record: Schema.String.annotateKey({
    documentation: "Changed record as `kind:id`, such as `reservation:5-ABC` or `webhook:12`."
  }),
  fields: Schema.Array(Schema.String).annotateKey({
    documentation:
      "Names of the changed fields, never their values. Empty for a record that was created or deleted, and for an edit that changed no value."
  })
})
export type AuditLogEntry = typeof AuditLogEntry.Type

const DAY_MS = 24 * 60 * 60 * 1000

const operation = defineFamily({ category: "meta", since: "3.13.0", openWorld: false })

export const search_audit_log = operation("search_audit_log", {
  route: "GET /audit_log",
  summary: "List the entries of the audit log, the latest first",
  details: `Each change writes one entry per changed record. Reads and failed calls write none. A consumer of the event feed writes one when it is created or deleted, and none when it acknowledges events. Entries are kept for ${AUDIT_RETENTION_MS / DAY_MS} days.

Only an access token of the main account can call this operation. Tokens of sub-accounts and of connected applications get 403.`,
  payload: {
    record: Schema.optionalKey(textUpTo(AUDIT_RECORD_LENGTH)).annotateKey({
      documentation: "Only changes of this record, as `kind:id`, such as `webhook:12`."
    }),
    since: Schema.optionalKey(InstantText).annotateKey({
      documentation:
        "Only changes at or after this time, ISO 8601. Without an offset it is in the host's time zone. It must be before `until`."
    }),
    until: Schema.optionalKey(InstantText).annotateKey({
      documentation: "Only changes before this time, ISO 8601. Without an offset it is in the host's time zone."
    }),
    cursor: Schema.optionalKey(Cursor).annotateKey({
      documentation: "The `next_cursor` of the previous page. The response has the entries that follow it."
    }),
    limit: pageFields.limit
  },
  success: Schema.Struct({
    entries: Schema.Array(AuditLogEntry).annotateKey({ documentation: "The entries of this page, the latest first." }),
    next_cursor: Schema.NullOr(Schema.String).annotateKey({
      documentation: "Cursor of the next page. Null if there are no earlier entries."
    })
  }),
  errors: [Forbidden],
  exposure: { notATool: "only the main account of the operator can read the audit log", extension: true }
})

export const AuditLogOperations = { search_audit_log }
