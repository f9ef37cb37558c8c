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

export const NEW_STAFF_URL = editUrl(PEOPLE_PATH, "staff", "new")

export const mainAccountOnlySection: Html = section(
  "Accounts",
  html`<p>Only the main account can manage accounts.</p>
`,
  "accounts"
)

const accountStatusBadge = ({ disabled_at }: OperatorAccount): Html =>
  disabled_at === null ? badge("Active", "good") : badge("Disabled", "wait")

const accountColumns = (visit: SignedInVisit): ReadonlyArray<TableColumn<OperatorAccount>> => [
  {
    label: "Name",
    cell: ({ role, id, name }) =>
      role === "main"
        ? html`<span class="name">${name}</span>`
        : html`<a class="name" href="${editUrl(PEOPLE_PATH, "account", id)}">${name}</a>`
  },
  {
    label: "E-mail address",
    cell: ({ email }) => html`<span class="name">${email}</span>`,
    onPhone: "detail"
  },
  { label: "Role", cell: ({ role }) => (role === "main" ? "Main account" : "Sub-account"), onPhone: "detail" },
  {
    label: "Last sign-in",
    cell: ({ signed_in_at }) => (signed_in_at === null ? "Never" : timeHtml(signed_in_at, visit))
  },
  { label: "Status", cell: accountStatusBadge, onPhone: "side" }
]

const CREATE_ACCOUNT_ACTION = "make_account"

export const accountsSection = (
  visit: SignedInVisit,
  accounts: ReadonlyArray<OperatorAccount>,
  passwordField: Html,
  failedSubmission?: FailedSubmission
): Html =>
  section(
    "Accounts",
    html`<p class="soft">People who sign in here. A sub-account can do everything except manage accounts and the main account's API settings.</p>
${table({ empty: "No accounts yet." }, accountColumns(visit), accounts)}${
  accounts.length > ACCOUNTS_MAX
    ? html`<p>You have ${ACCOUNTS_MAX} sub-accounts, the most possible. Disabled ones count too.</p>
`
    : disclosure(
        "Add sub-account",
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
    label: "Add sub-account",
    fields: html`${input(fillField, { name: "email", label: "E-mail address (for signing in)", type: "email", isRequired: true, maxlength: EMAIL_LENGTH })}${input(
      fillField,
      {
        name: "name",
        label: "Name",
        hint: "If empty, the e-mail address is used.",
        maxlength: ACCOUNT_NAME_LENGTH
      }
    )}${newPasswordFields("Password")}${ownPasswordField(passwordField)}`
  })
}

const propertiesText = ({ titles, properties }: StaffListItem): string => {
  if (properties === 0) return "All properties"
  const remaining = properties - titles.length
  return remaining === 0 ? titles.join(", ") : `${titles.join(", ")} and ${remaining} more`
}

const staffColumns: ReadonlyArray<TableColumn<StaffListItem>> = [
  {
    label: "Name",
    cell: ({ id, name }) => html`<a class="name" href="${editUrl(PEOPLE_PATH, "staff", id)}">${name}</a>`
  },
  { label: "Properties", cell: propertiesText, onPhone: "detail" },
  {
    label: "Mobile",
    cell: ({ mobile }) => html`<a class="whole" href="tel:${mobile.replaceAll(/[^+\d]/g, "")}">${mobile}</a>`,
    onPhone: "detail"
  },
  {
    label: "Tasks",
    cell: ({ id, name }) => html`<a href="${tasksUrl({ staff: id })}" aria-label="Tasks of ${name}">Tasks</a>`,
    onPhone: "detail"
  },
  {
    label: "Status",
    cell: ({ is_active }) => (is_active ? badge("Active", "good") : badge("Inactive", "wait")),
    onPhone: "side"
  }
]

interface StaffPage {
  readonly total: number
  readonly rows: ReadonlyArray<StaffListItem>
}

export const staffSection = (visit: SignedInVisit, { total, rows }: StaffPage): Html =>
  section(
    "Staff",
    html`<p class="soft">People who clean, repair and meet guests. You assign tasks to them. They do not sign in.</p>
${table({ empty: html`No staff yet. ${link(NEW_STAFF_URL, "Add staff")}` }, staffColumns, rows)}${pagination(visit, { offset: readOffsetParam(visit, "staff"), limit: STAFF_ROWS_MAX, total, name: "staff" })}`,
    "staff"
  )
