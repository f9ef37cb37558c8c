import { RECORD_CODE_LENGTH } from "../../../../platform/limits.ts"
import {
  type StaySearchFilter,
  StaySearchPayment,
  StaySearchStatus,
  UNASSIGNED_PROPERTY
} from "../../queries/FoundStays.ts"
import type { SignedInVisit } from "../../visit.ts"
import { readDateParam, readIdParam } from "../page-parts.ts"

const readQueryText = ({ query }: SignedInVisit, name: string): string => (query.get(name) ?? "").trim()

const findLiteral = <Value extends string>(literals: ReadonlyArray<Value>, text: string): Value | undefined =>
  literals.find((each) => each === text)

/** Ignores invalid values. */
export const readStayFilter = (visit: SignedInVisit): StaySearchFilter => {
  const searchText = readQueryText(visit, "q").slice(0, RECORD_CODE_LENGTH)
  return {
    searchText: searchText === "" ? undefined : searchText,
    propertyId:
      readQueryText(visit, "property") === String(UNASSIGNED_PROPERTY)
        ? UNASSIGNED_PROPERTY
        : readIdParam(visit, "property"),
    status: findLiteral(StaySearchStatus.literals, readQueryText(visit, "status")),
    payment: findLiteral(StaySearchPayment.literals, readQueryText(visit, "payment")),
    from: readDateParam(visit, "from"),
    to: readDateParam(visit, "to"),
    checkOutFrom: readDateParam(visit, "leaves_from"),
    checkOutTo: readDateParam(visit, "leaves_to")
  }
}

/** The query parameters that make the filter. */
export const FILTER_PARAMETERS = [
  "q",
  "status",
  "property",
  "payment",
  "from",
  "to",
  "leaves_from",
  "leaves_to"
] as const
export type FilterParameter = (typeof FILTER_PARAMETERS)[number]

const READ_VALUES: Readonly<Record<FilterParameter, keyof StaySearchFilter>> = {
  q: "searchText",
  status: "status",
  property: "propertyId",
  payment: "payment",
  from: "from",
  to: "to",
  leaves_from: "checkOutFrom",
  leaves_to: "checkOutTo"
}

/** Returns a parameter whose value the filter ignores. A file without it would have other rows than requested. */
export const findIgnoredParameter = (visit: SignedInVisit): FilterParameter | undefined => {
  const filter = readStayFilter(visit)
  return FILTER_PARAMETERS.find((name) => readQueryText(visit, name) !== "" && filter[READ_VALUES[name]] === undefined)
}

export const hasFilter = (filter: StaySearchFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined)

/** Filters that "More filters" hides. */
export const countHiddenFilters = ({ searchText: _text, status: _status, ...hidden }: StaySearchFilter): number =>
  Object.values(hidden).filter((value) => value !== undefined).length
