import { HttpServerResponse } from "effect/http"
import { PRIVATE_PAGE_HEADERS } from "../../pages/html-page.ts"

/**
 * Matches the start of a cell that a spreadsheet may read as a formula. East Asian editions also accept full-width
 * signs.
 */
const FORMULA_START = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠﹦﹢﹣﹫])/

/** Puts an apostrophe before a formula, so that a spreadsheet does not run a guest's text. */
const toSafeText = (text: string): string => (FORMULA_START.test(text) ? `'${text}` : text)

const toCsvCell = (text: string): string =>
  /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text

/** Without a byte order mark, spreadsheets do not read the file as UTF-8. */
const BYTE_ORDER_MARK = "\uFEFF"

const NEGATIVE_AMOUNT = /^-\d+(?:\.\d+)?$/

export interface CsvColumn<Row> {
  readonly name: string
  readonly toText: (row: Row) => string
  /** Negative amounts are numbers and not formulas. */
  readonly isAmount?: true
}

export const renderCsv = <Row>(columns: ReadonlyArray<CsvColumn<Row>>, rows: ReadonlyArray<Row>): string => {
  const toCell = (row: Row) => (column: CsvColumn<Row>) => {
    const text = column.toText(row)
    return toCsvCell(column.isAmount === true && NEGATIVE_AMOUNT.test(text) ? text : toSafeText(text))
  }
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(toCell(row)))]
  return `${BYTE_ORDER_MARK}${lines.map((line) => `${line.join(",")}\r\n`).join("")}`
}

export const trimDecimals = (amount: string): string => (amount.includes(".") ? amount.replace(/\.?0+$/, "") : amount)

export const csvResponse = (text: string, fileName: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(text, {
    contentType: "text/csv; charset=utf-8",
    headers: {
      ...PRIVATE_PAGE_HEADERS,
      vary: "Cookie",
      "content-disposition": `attachment; filename="${fileName}"`
    }
  })
