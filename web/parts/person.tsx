import { Avatar } from '@mantine/core'
import { readKnownPicture } from '../api/operations.ts'

interface Named {
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
}

/** What somebody is called; by their handle where they have said no name. */
export const nameOf = ({ handle, firstName, lastName }: Named): string => `${firstName} ${lastName}`.trim() || handle

interface PersonAvatarProps {
  readonly person: Named
  /** Whether one may see their picture; the initials of others. */
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
