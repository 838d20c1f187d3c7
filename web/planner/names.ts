interface NamesOfPerson {
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
}

export const nameOf = ({ firstName, lastName, handle }: NamesOfPerson): string =>
  `${firstName} ${lastName}`.trim() || handle
