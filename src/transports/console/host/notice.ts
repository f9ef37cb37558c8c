import { createHmac, timingSafeEqual } from "node:crypto"
import { Option, Schema } from "effect"
import { NOTICE_LENGTH, UNDO_OFFER_MS } from "../../../platform/limits.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { formKeyFields } from "../form-keys.ts"
import { ACTION_FIELD, type SignedInVisit } from "../visit.ts"
import { currentUrlWith, NOTICE_FIELD } from "./page-url.ts"

/** An action of the same page that reverses a change, with the fields of its form. */
const UndoForm = Schema.Struct({ action: Schema.String, fields: Schema.Record(Schema.String, Schema.String) })
export type UndoForm = typeof UndoForm.Type

/** What an action has done, in a sentence that names the record. */
export interface Notice {
  readonly text: string
  readonly undo?: UndoForm
}

const SealedNotice = Schema.Struct({ at: Schema.Int, text: Schema.String, undo: Schema.optionalKey(UndoForm) })

const decodeNotice = Schema.decodeUnknownOption(Schema.fromJsonString(SealedNotice))

/** Other sites do not know the form token, so they cannot make a link that offers an undo. */
const sign = (json: string, formToken: string): string =>
  createHmac("sha256", formToken).update(json).digest("base64url")

/** Returns the query parameter for the redirect after a form. An undo that makes it too long is left out. */
export const sealNotice = (notice: Notice, formToken: string, now: number): string => {
  const json = JSON.stringify({ at: now, ...notice })
  const sealed = `${Buffer.from(json).toString("base64url")}.${sign(json, formToken)}`
  return sealed.length <= NOTICE_LENGTH || notice.undo === undefined
    ? sealed
    : sealNotice({ text: notice.text }, formToken, now)
}

/** Returns nothing for a notice of another session, or one older than {@link UNDO_OFFER_MS}. */
const openNotice = ({ query, formToken }: SignedInVisit, now: number): Option.Option<Notice> => {
  const [encoded = "", signature = ""] = (query.get(NOTICE_FIELD) ?? "").split(".")
  const json = Buffer.from(encoded, "base64url").toString()
  const [given, expected] = [Buffer.from(signature), Buffer.from(sign(json, formToken))]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return Option.none()
  return Option.filter(decodeNotice(json), ({ at }) => at <= now && now - at <= UNDO_OFFER_MS)
}

/** The style sheet hides the toast after ten seconds. */
const toast = (
  visit: SignedInVisit,
  { text, undo }: Notice
): Html => html`<div class="toast" role="status"><p>${text}</p>
${undo === undefined ? nothing : undoForm(visit, undo)}</div>
`

const undoForm = (visit: SignedInVisit, { action, fields }: UndoForm): Html => {
  const hiddenFields = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`
  )
  return html`<form method="post" action="${currentUrlWith(visit)}">
${formKeyFields(visit)}${hiddenFields}<button name="${ACTION_FIELD}" value="${action}">Undo</button>
</form>
`
}

export const noticeToast = (visit: SignedInVisit, now: number): Html =>
  Option.match(openNotice(visit, now), { onNone: () => nothing, onSome: (notice) => toast(visit, notice) })
