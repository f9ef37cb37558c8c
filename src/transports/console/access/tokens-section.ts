import { Effect, Option } from "effect"
import { makeDecoder } from "../../../contract/decoder.ts"
import { errorCode } from "../../../contract/errors.ts"
import { type AccessToken, AccessTokens } from "../../../domain/access/operators/AccessTokens.ts"
import {
  type CursorPage,
  formatCursor,
  type PageCursor,
  parseCursor
} from "../../../domain/access/operators/cursor-page.ts"
import type { CreatedToken } from "../../../domain/access/operators/Operators.ts"
import { NewToken, TOKEN_SCOPES } from "../../../domain/access/operators/operator-schemas.ts"
import { ACCOUNT_NAME_LENGTH } from "../../../platform/limits.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { docsPagePath } from "../../http/paths.ts"
import type { AccessSection, ActionError, ActionOutcome, FormAction } from "../action-outcome.ts"
import { TEXTS } from "../console-texts.ts"
import { idempotencyKeyOf, toPageStatus } from "../operation-call.ts"
import { ACCESS_PATH, formKeyFields } from "../page-frame.ts"
import { makeSudo } from "../sudo.ts"
import { ACTION_FIELD, type SignedInVisit, type SubmittedForm } from "../visit.ts"
import {
  accessSection,
  accessTable,
  explanation,
  instantHtml,
  lastUsedHtml,
  readFormId,
  revocationForm
} from "./access-parts.ts"

const TOKEN_TEXTS = TEXTS.access.tokens
const CREATE_ACTION = "make_token"
/** Which page of the list: an edge of it. */
const CURSOR_FIELD = "tokens"

const parseNewToken = makeDecoder(NewToken)

const makeActionError = (status: ActionError["status"], message: string): ActionError => ({
  _tag: "Refused",
  status,
  message
})

/** Access tokens that people of the operator made: to see, to make, shown once, and to delete. */
export const makeTokensSection = Effect.fnUntraced(function* (publicUrl: string) {
  const tokens = yield* AccessTokens
  const sudo = yield* makeSudo

  const show: AccessSection["show"] = Effect.fnUntraced(function* (visit, failedForm) {
    const page = yield* tokens.list(visit.session.person.caller, parseCursor(visit.query.get(CURSOR_FIELD)))
    const passwordField = yield* sudo.renderPasswordField(visit)
    return accessSection(
      "tokens",
      TOKEN_TEXTS.title,
      html`${explanation(TOKEN_TEXTS, docsPagePath("console"))}${tokenList(page, visit)}${newTokenForm(visit, passwordField, failedForm)}`
    )
  })

  /** Checks the password last, because a wrong password counts as a failed attempt. */
  const createToken = Effect.fnUntraced(
    function* (visit: SignedInVisit, form: SubmittedForm) {
      const { caller } = visit.session.person
      const fields = { account_id: caller.accountId, name: form.get("name"), scope: form.get("scope") }
      const { name, scope } = yield* parseNewToken(fields)
      const passwordError = yield* sudo.checkPassword(visit, form)
      if (Option.isSome(passwordError)) return passwordError.value
      const token = yield* tokens.create(caller, { name, scope }, idempotencyKeyOf(form))
      const outcome: ActionOutcome = {
        _tag: "Shown",
        html: Option.match(token, {
          onNone: () => repeatedTokenMessage,
          onSome: (createdToken) => createdTokenHtml(createdToken, name, publicUrl)
        })
      }
      return outcome
    },
    Effect.catch((error) => Effect.succeed(makeActionError(toPageStatus(errorCode(error)), error.message)))
  )

  const deleteToken = Effect.fnUntraced(function* (visit: SignedInVisit, form: SubmittedForm) {
    const id = readFormId(form)
    const isDeleted = id !== undefined && (yield* tokens.remove(visit.session.person.caller, id))
    const outcome: ActionOutcome = isDeleted
      ? { _tag: "Done", messageKey: "token_deleted" }
      : makeActionError(404, TOKEN_TEXTS.noSuch)
    return outcome
  })

  const actions = new Map<string, FormAction>([
    [CREATE_ACTION, createToken],
    ["delete_token", deleteToken]
  ])
  const section: AccessSection = { show, actions }
  return section
})

const COLUMN_LABELS = [
  TOKEN_TEXTS.name,
  TOKEN_TEXTS.scope,
  TOKEN_TEXTS.account,
  TOKEN_TEXTS.createdAt,
  TOKEN_TEXTS.lastUsed,
  TOKEN_TEXTS.withdraw
]

const tokenList = (page: CursorPage<AccessToken>, visit: SignedInVisit): Html =>
  page.rows.length === 0
    ? html`<p>${TOKEN_TEXTS.none}</p>
`
    : html`${accessTable(
        TOKEN_TEXTS.caption,
        COLUMN_LABELS,
        page.rows.map((token) => tokenCells(token, visit))
      )}${tokenPagination(page)}`

const tokenCells = (token: AccessToken, visit: SignedInVisit): ReadonlyArray<Html> => [
  html`<span class="name">${token.name}</span>`,
  html`<span class="whole">${token.scope}</span>`,
  html`<span class="name">${token.account_name}</span>`,
  instantHtml(token.created_at, visit),
  lastUsedHtml(token.last_used_at, visit),
  revocationForm(visit, {
    action: "delete_token",
    field: "id",
    value: String(token.id),
    label: TOKEN_TEXTS.withdraw,
    subject: token.name,
    consequence: TOKEN_TEXTS.revocationConsequence(token.name)
  })
]

const tokenPagination = ({ older, newer }: CursorPage<AccessToken>): Html =>
  older === undefined && newer === undefined
    ? nothing
    : html`<nav class="pages" aria-label="${TOKEN_TEXTS.title}">${pageLink(newer, TOKEN_TEXTS.newer)} ${pageLink(older, TOKEN_TEXTS.older)}</nav>
`

const pageLink = (cursor: PageCursor | undefined, linkText: string): Html =>
  cursor === undefined
    ? nothing
    : html`<a href="${ACCESS_PATH}?${CURSOR_FIELD}=${formatCursor(cursor)}#tokens">${linkText}</a>`

const CHECKED_ATTRIBUTE: Html = { html: " checked" }

/** With what was filled in, where it was just not taken. */
const newTokenForm = (visit: SignedInVisit, passwordField: Html, failedForm: SubmittedForm | undefined): Html => {
  const submittedForm = failedForm?.get(ACTION_FIELD) === CREATE_ACTION ? failedForm : undefined
  const chosenScope = submittedForm?.get("scope") === "writable" ? "writable" : "read-only"
  const scopeChoices = TOKEN_SCOPES.map(
    (scope) =>
      html`<label class="choice"><input type="radio" name="scope" value="${scope}"${scope === chosenScope ? CHECKED_ATTRIBUTE : nothing}> ${TOKEN_TEXTS.scopes[scope]}</label>
`
  )
  return html`<h3 id="new-token">${TOKEN_TEXTS.new}</h3>
<form method="post" action="${ACCESS_PATH}" aria-labelledby="new-token">
${formKeyFields(visit)}<label>${TOKEN_TEXTS.name} <input name="name" required maxlength="${ACCOUNT_NAME_LENGTH}" autocomplete="off" value="${submittedForm?.get("name") ?? ""}" aria-describedby="token-name-hint"></label>
<p class="soft" id="token-name-hint">${TOKEN_TEXTS.nameHint}</p>
<fieldset><legend>${TOKEN_TEXTS.scope}</legend>
${scopeChoices}<p class="soft">${TOKEN_TEXTS.scopeFixedNote}</p>
</fieldset>
${passwordField}<button class="primary" name="${ACTION_FIELD}" value="${CREATE_ACTION}">${TOKEN_TEXTS.createToken}</button>
</form>
`
}

const repeatedTokenMessage = html`<p class="message note" role="status">${TOKEN_TEXTS.repeatedToken}</p>
`

/** The one time that it is seen: in the answer of the form, and in no address. */
const createdTokenHtml = (
  { token }: CreatedToken,
  name: string,
  publicUrl: string
): Html => html`<section aria-labelledby="made-token">
<h2 id="made-token">${TOKEN_TEXTS.createdTitle(name)}</h2>
<p class="message done" role="status">${TOKEN_TEXTS.copyTokenNow}</p>
<pre class="secret"><code>${token}</code></pre>
<p>${TOKEN_TEXTS.firstCallHint}</p>
<pre><code>curl -H "Service-Access-Token: ${token}" "${publicUrl}/v3/income_items"</code></pre>
<p class="soft">${TOKEN_TEXTS.reloadWarning}</p>
<p><a href="${ACCESS_PATH}">${TOKEN_TEXTS.continueLink}</a></p>
</section>
`
