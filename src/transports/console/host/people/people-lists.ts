import type { OperatorAccount } from "../../../../domain/access/sign-in/sub-account-store.ts"
import { ACCOUNT_NAME_LENGTH, ACCOUNTS_MAX, EMAIL_LENGTH, STAFF_ROWS_MAX } from "../../../../platform/limits.ts"
import { type Html, html } from "../../../docs/html.ts"
import type { StaffListItem } from "../../queries/StaffDirectory.ts"
import type { SignedInVisit } from "../../visit.ts"
import { actionForm, disclosure, input, makeFieldFiller } from "../form-fields.ts"
import { type FailedSubmission, readSubmittedAction } from "../host-page.ts"
import { badge, link, pagination, readOffsetParam, section, type TableColumn, table, timeHtml } from "../page-parts.ts"
import { editUrl } from "../property-selection.ts"
import { PEOPLE_PATH, tasksUrl } from "../urls.ts"
import { newPasswordFields, ownPasswordField } from "./password-fields.ts"

export const mainAccountOnlySection: Html = section(
  "Sub-accounts",
  html`<p>Only the main account may see and manage accounts. Sign in with it, or ask whose it is.</p>
`,
  "accounts"
)

const accountColumns = (visit: SignedInVisit): ReadonlyArray<TableColumn<OperatorAccount>> => [
  { label: "Name", cell: ({ name }) => html`<span class="name">${name}</span>` },
  { label: "E-mail address", cell: ({ email }) => html`<span class="name">${email}</span>` },
  {
    label: "Stands",
    cell: ({ role, disabled_at }) => {
      if (role === "main") return "main account"
      return disabled_at === null
        ? badge("works", "good")
        : html`${badge("disabled", "wait")} <span class="soft">since ${timeHtml(disabled_at, visit)}</span>`
    }
  },
  {
    label: "Last signed in",
    cell: ({ signed_in_at }) => (signed_in_at === null ? "not lately" : timeHtml(signed_in_at, visit))
  },
  {
    label: "Change",
    cell: ({ role, id, name }) =>
      role === "main"
        ? ""
        : html`<a href="${editUrl(PEOPLE_PATH, "account", id)}" aria-label="Change ${name}">Change</a>`
  }
]

const CREATE_ACCOUNT_ACTION = "make_account"

export const accountsSection = (
  visit: SignedInVisit,
  accounts: ReadonlyArray<OperatorAccount>,
  passwordField: Html,
  failedSubmission?: FailedSubmission
): Html =>
  section(
    "Sub-accounts",
    html`<p class="soft">Each signs in here with its own e-mail address and may do all that you may, but for accounts and what the OpenAPI settings keep to the main account.</p>
${table({ empty: "There is no account." }, accountColumns(visit), accounts)}${
  accounts.length > ACCOUNTS_MAX
    ? html`<p>You have all ${ACCOUNTS_MAX} sub-accounts that there may be, disabled ones among them.</p>
`
    : disclosure(
        "Make a sub-account",
        newAccountForm(visit, passwordField, failedSubmission),
        failedSubmission !== undefined && readSubmittedAction(failedSubmission) === CREATE_ACCOUNT_ACTION
      )
}`,
    "accounts"
  )

const newAccountForm = (visit: SignedInVisit, passwordField: Html, failedSubmission?: FailedSubmission): Html => {
  const fillField = makeFieldFiller(failedSubmission, CREATE_ACCOUNT_ACTION)
  return actionForm(visit, {
    action: CREATE_ACCOUNT_ACTION,
    label: "Make the sub-account",
    fields: html`${input(fillField, { name: "email", label: "E-mail address, to sign in with", type: "email", isRequired: true, maxlength: EMAIL_LENGTH })}${input(
      fillField,
      {
        name: "name",
        label: "Name",
        hint: "Without one it is called as its e-mail address.",
        maxlength: ACCOUNT_NAME_LENGTH
      }
    )}${newPasswordFields("Its password; tell it to whom the account is for")}${ownPasswordField(passwordField)}`
  })
}

const propertiesText = ({ titles, properties }: StaffListItem): string => {
  if (properties === 0) return "every property"
  const remaining = properties - titles.length
  return remaining === 0 ? titles.join(", ") : `${titles.join(", ")} and ${remaining} more`
}

const staffColumns: ReadonlyArray<TableColumn<StaffListItem>> = [
  { label: "Name", cell: ({ id, name }) => html`<a class="name" href="${tasksUrl({ staff: id })}">${name}</a>` },
  { label: "Mobile", cell: ({ mobile }) => html`<span class="whole">${mobile}</span>` },
  { label: "Works in", cell: propertiesText },
  { label: "Stands", cell: ({ is_active }) => (is_active ? badge("active", "good") : badge("switched off", "wait")) },
  {
    label: "Change",
    cell: ({ id, name }) => html`<a href="${editUrl(PEOPLE_PATH, "staff", id)}" aria-label="Change ${name}">Change</a>`
  }
]

interface StaffPage {
  readonly total: number
  readonly rows: ReadonlyArray<StaffListItem>
}

export const staffSection = (visit: SignedInVisit, { total, rows }: StaffPage): Html =>
  section(
    "Staff",
    html`<p class="soft">Who cleans, repairs and meets guests. They are given tasks and do not sign in. A name leads to the tasks.</p>
${table({ empty: "There is nobody yet." }, staffColumns, rows)}${pagination(visit, { offset: readOffsetParam(visit, "staff"), limit: STAFF_ROWS_MAX, total, name: "staff" })}<p>${link(editUrl(PEOPLE_PATH, "staff", "new"), "Add somebody")}</p>
`,
    "staff"
  )
