import { Effect, Schema } from "effect"
import { makeDecoder } from "../../../contract/decoder.ts"
import { create_access_token } from "../../../domain/access/operators/contract.ts"
import { TOKEN_SCOPES } from "../../../domain/access/operators/operator-schemas.ts"
import { ACCOUNT_NAME_LENGTH } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { docsPagePath } from "../../http/paths.ts"
import type { AccessSection, ActionError, ActionOutcome, FormAction } from "../action-outcome.ts"
import { TEXTS } from "../console-texts.ts"
import { formKeyFields } from "../form-keys.ts"
import { apiErrorToActionError, makeMutation } from "../host/api-operations.ts"
import { section, table } from "../host/page-parts.ts"
import { ACCESS_PATH } from "../host/urls.ts"
import { AccessTokenList, type ListedAccessToken } from "../queries/AccessTokenList.ts"
import { type CursorPage, formatCursor, type PageCursor, parseCursor } from "../queries/cursor-page.ts"
import { makeSudo } from "../sudo.ts"
import { ACTION_FIELD, type SignedInVisit, type SubmittedForm } from "../visit.ts"
import { dayOfInstant, explanation, lastUsedHtml, makeRevocation, revocationForm, scopeLabel } from "./access-parts.ts"

const TOKEN_TEXTS = TEXTS.access.tokens
const CREATE_ACTION = "make_token"
const CURSOR_FIELD = "tokens"

const parseNewToken = makeDecoder(create_access_token.payloadSchema)
const decodeCreatedToken = Schema.decodeUnknownSync(Schema.toCodecJson(create_access_token.successSchema))

export const makeTokensSection = Effect.fnUntraced(function* (publicUrl: string) {
  const [tokens, service, sudo] = [yield* AccessTokenList, yield* Service, yield* makeSudo]
  const mutate = makeMutation(service)

  const show: AccessSection["show"] = Effect.fnUntraced(function* (visit, failedForm) {
    const page = yield* tokens.list(parseCursor(visit.query.get(CURSOR_FIELD)))
    const passwordField = yield* sudo.renderPasswordField(visit)
    return section(
      TOKEN_TEXTS.title,
      html`${explanation(TOKEN_TEXTS, docsPagePath("console"))}${tokensTable(visit, page.rows)}${tokenPagination(page)}${newTokenForm(visit, passwordField, failedForm)}`,
      "tokens"
    )
  })

  /** Checks the password after the other fields, because a wrong password counts as a failed attempt. */
  const createToken = Effect.fnUntraced(
    function* (visit: SignedInVisit, form: SubmittedForm) {
      const fields = { name: form.get("name"), scope: form.get("scope") }
      const { name, scope } = yield* Effect.mapError(parseNewToken(fields), apiErrorToActionError)
      yield* sudo.requirePassword(visit, form)
      const { token } = decodeCreatedToken(yield* mutate(visit, form, "create_access_token", { name, scope }))
      const outcome: ActionOutcome = {
        _tag: "Shown",
        html: token === undefined ? repeatedTokenMessage : createdTokenHtml(token, name, publicUrl)
      }
      return outcome
    },
    Effect.catch((error: ActionError) => Effect.succeed<ActionOutcome>(error))
  )

  const actions = new Map<string, FormAction>([
    [CREATE_ACTION, createToken],
    ["delete_token", makeRevocation(service, "revoke_access_token", "token_deleted", TOKEN_TEXTS.noSuch)]
  ])
  const tokensSection: AccessSection = { show, actions }
  return tokensSection
})

const tokensTable = (visit: SignedInVisit, tokens: ReadonlyArray<ListedAccessToken>): Html =>
  table(
    { caption: TOKEN_TEXTS.caption, empty: TOKEN_TEXTS.none },
    [
      { label: TOKEN_TEXTS.name, cell: ({ name }) => html`<span class="name">${name}</span>` },
      {
        label: TOKEN_TEXTS.scope,
        cell: ({ scope }) => html`<span class="whole">${scopeLabel(scope)}</span>`,
        onPhone: "detail"
      },
      {
        label: TOKEN_TEXTS.account,
        cell: ({ account_name }) => html`${account_name}`,
        onPhone: "detail"
      },
      { label: TOKEN_TEXTS.createdAt, cell: ({ created_at }) => dayOfInstant(created_at, visit), onPhone: "none" },
      { label: TOKEN_TEXTS.lastUsed, cell: ({ last_used_at }) => lastUsedHtml(last_used_at, visit) },
      {
        label: TOKEN_TEXTS.withdraw,
        cell: ({ id, name }) =>
          revocationForm(visit, {
            action: "delete_token",
            field: "id",
            value: String(id),
            label: TOKEN_TEXTS.withdraw,
            subject: name,
            consequence: TOKEN_TEXTS.revocationConsequence(name)
          }),
        onPhone: "actions"
      }
    ],
    tokens
  )

const tokenPagination = ({ older, newer }: CursorPage<ListedAccessToken>): Html =>
  older === undefined && newer === undefined
    ? nothing
    : html`<nav class="pages" aria-label="${TOKEN_TEXTS.title}">${pageLink(newer, TOKEN_TEXTS.newer)} ${pageLink(older, TOKEN_TEXTS.older)}</nav>
`

const pageLink = (cursor: PageCursor | undefined, linkText: string): Html =>
  cursor === undefined
    ? nothing
    : html`<a href="${ACCESS_PATH}?${CURSOR_FIELD}=${formatCursor(cursor)}#tokens">${linkText}</a>`

const CHECKED_ATTRIBUTE: Html = { html: " checked" }

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

/** The new token is shown once, in the response to the form, and never in a URL. */
const createdTokenHtml = (
  token: string,
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
