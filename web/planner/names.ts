interface Named {
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
}

export const nameOf = ({ firstName, lastName, handle }: Named): string => `${firstName} ${lastName}`.trim() || handle
