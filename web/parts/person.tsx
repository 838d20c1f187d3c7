import { Avatar } from '@mantine/core'
import { readKnownPicture } from '../api/operations.ts'

interface NamesOfPerson {
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
}

/** Returns the person's name, or the handle if the person has given no name. */
export const nameOf = ({ handle, firstName, lastName }: NamesOfPerson): string =>
  `${firstName} ${lastName}`.trim() || handle

interface PersonAvatarProps {
  readonly person: NamesOfPerson
  /** Whether the viewer may see this person's picture; otherwise initials are shown. */
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
