import { Schema } from "effect"
import { Forbidden } from "../../contract/errors.ts"
import { Id, InstantText, textUpTo } from "../../contract/fields.ts"
import { defineFamily } from "../../contract/operation.ts"
import { pageFields } from "../../contract/page.ts"
import { AUDIT_RECORD_LENGTH } from "../../platform/limits.ts"
import { AUDIT_CURSOR_PATTERN, parseAuditCursor } from "./audit-range.ts"

// The audit log as its host reads it (an extension). It has names of fields and never their values.

const Cursor = Schema.String.check(
  Schema.makeFilter((text) => parseAuditCursor(text) !== undefined, {
    unreadable: true,
    expected: "a cursor, as this operation returns it",
    toJsonSchema: () => ({ pattern: AUDIT_CURSOR_PATTERN.source })
  })
)

/** One record that one change touched. */
export const AuditLogEntry = Schema.Struct({
  id: Id,
  at: Schema.String.annotateKey({ description: "ISO 8601, UTC." }),
  account_id: Schema.NullOr(Schema.Int).annotateKey({
    description: "null: no account acted, but a guest, a channel, a rule, a command or the service itself."
  }),
  account_name: Schema.NullOr(Schema.String).annotateKey({ description: "The account's name as it is now." }),
  application: Schema.String.annotateKey({ description: "The name of the token, or `console`." }),
  operation: Schema.String,
  request_id: Schema.NullOr(Schema.String),
  record: Schema.String.annotateKey({ description: "As events name it, such as `reservation:5-ABC` or `webhook:12`." }),
  fields: Schema.Array(Schema.String).annotateKey({
    description: "The names of the fields that changed; empty for a record that was created or deleted."
  })
})
export type AuditLogEntry = typeof AuditLogEntry.Type

const operation = defineFamily({ category: "meta", since: "3.13.0", openWorld: false })

export const search_audit_log = operation("search_audit_log", {
  route: "GET /audit_log",
  summary: "List who changed what, the latest change first",
  payload: {
    record: Schema.optionalKey(textUpTo(AUDIT_RECORD_LENGTH)).annotateKey({
      description: "Only changes of this record, such as `webhook:12`."
    }),
    since: Schema.optionalKey(InstantText).annotateKey({ description: "Changes from this time on." }),
    until: Schema.optionalKey(InstantText).annotateKey({ description: "Changes before this time." }),
    cursor: Schema.optionalKey(Cursor).annotateKey({
      description: "The `next_cursor` of the page before: the entries that follow it."
    }),
    limit: pageFields.limit
  },
  success: Schema.Struct({
    entries: Schema.Array(AuditLogEntry),
    next_cursor: Schema.NullOr(Schema.String).annotateKey({ description: "null: there are no earlier entries." })
  }),
  errors: [Forbidden],
  exposure: { notATool: "only the host reads who changed what in the account", extension: true }
})

export const AuditLogOperations = { search_audit_log }
