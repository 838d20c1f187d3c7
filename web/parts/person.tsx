import { Avatar } from '@mantine/core'
import { readKnownPicture } from '../api/operations.ts'

interface NamesOfPerson {
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
}

/** The person's name, or their handle if they have not given one. */
export const nameOf = ({ handle, firstName, lastName }: NamesOfPerson): string =>
  `${firstName} ${lastName}`.trim() || handle

interface PersonAvatarProps {
  readonly person: NamesOfPerson
  /** Whether the reader may see their picture; otherwise their initials are shown. */
  readonly isKnown: boolean
  readonly size?: number
}

export const PersonAvatar = ({ person, isKnown, size = 40 }: PersonAvatarProps) => (
  <Avatar
    {...(isKnown && { src: readKnownPicture({ handle: person.handle, size: 128 }) })}
    name={nameOf(person).replace(/^@/, '')}
    color="gray"
    radius="xl"
    size={size}
    alt=""
    aria-hidden
  />
)
