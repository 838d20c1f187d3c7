import { Text } from '@mantine/core'
import { lessonWords as say } from './words.ts'

/** Apps have pages of their own, which the list of lessons opens. */
export const AppLesson = () => <Text>{say.inApp}</Text>
