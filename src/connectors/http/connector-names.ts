// How an account names the connector it is reached by (channel_accounts.connector).

/** What such a name begins with; the id follows. */
export const CONNECTOR_NAME_PREFIX = "http:"

export const toConnectorName = (id: number): string => `${CONNECTOR_NAME_PREFIX}${id}`

const CONNECTOR_NAME_PATTERN = /^http:([1-9]\d{0,15})$/

/** The id in such a name; undefined: it is another connector's. */
export const parseConnectorId = (name: string): number | undefined => {
  const [, digits] = CONNECTOR_NAME_PATTERN.exec(name) ?? []
  return digits === undefined ? undefined : Number(digits)
}
