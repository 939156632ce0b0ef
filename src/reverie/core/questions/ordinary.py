"""Ordinary prompts: what people ask agents all day, about nothing that any one memory holds.

A memory is near to a prompt only if the prompt is nearer than these are (`core.questions.closeness`). They
are ours, and were written to cover many subjects, not any set of questions. There are two kinds, because a
note about a person is far from every request for work and not so far from everyday questions.
`scripts/ordinary_vectors.py` must be run after a change.
"""

from __future__ import annotations

from typing import Final

__all__ = ["EVERYDAY", "WORK"]

WORK: Final = tuple(
    """
Fix the failing test and tell me what was wrong.
Why does this function return None?
Refactor this class so that it is easier to read.
Add type hints to all the functions in this file.
Write a unit test for the parser.
What is the difference between a list and a tuple in Python?
Create a Dockerfile for a small web service.
The build is broken, can you look at the log?
How do I reverse a string in JavaScript?
Rename the variable everywhere it is used.
Implement a binary search tree with insert and delete.
Explain what this regular expression matches.
Can you make the button blue and a bit larger?
Write a SQL query that counts orders by customer.
The page is blank after I log in.
Move this helper into its own module.
Generate a random password with twelve characters.
Update the README with the new command line options.
Convert this callback code to async and await.
Show me how to read a CSV file and sum one column.
I get a null pointer exception when the list is empty.
Set up linting and formatting for this repository.
How can I speed up this loop?
Add a column to the users table and write the migration.
Remove the code that is not used any more.
What does this error message mean: permission denied?
Write a shell script that deletes old log files.
Merge the two branches and resolve the conflicts.
Sort an array of objects by date, newest first.
Add pagination to the list endpoint.
Please review this pull request.
Make the header stick to the top when scrolling.
How do I run the tests locally?
Write a function that checks whether a number is prime.
Catch the exception and log it instead of crashing.
Deploy the latest version to the test environment.
Implement dark mode in the settings page.
Which design pattern would fit here?
Write documentation for the public API.
The request times out after thirty seconds, find out why.
Parse the JSON response and print the names.
Give me a regular expression for e-mail addresses.
Upgrade the dependencies and check that nothing breaks.
Commit the changes with a good message.
Create a React component that shows a list of items.
What is the time complexity of quicksort?
The memory usage of the process keeps growing.
Add a command line flag for verbose output.
Use a dictionary here instead of the long if chain.
Design a database schema for a library.
Explain how garbage collection works.
Validate the form fields before sending them.
Split this large file into smaller ones.
Is it safe to store this token in local storage?
Write a class that represents a bank account.
The tests pass locally but fail in the pipeline.
Add caching to this function.
How do I undo the last commit?
Translate this Python script into Go.
Print the numbers from one to a hundred.
Check whether two strings are anagrams.
Draw a bar chart of the results.
Add an endpoint that returns the health of the service.
Clean up the comments in this file.
What is the output of the following code?
Handle the case where the file does not exist.
Write a CSS rule that centres the text.
Compare these two approaches and recommend one.
Step through the code and find the bug.
Create a hash map from the list of pairs.
Make the search case-insensitive.
Go ahead and implement the plan.
Add a progress bar to the upload.
Do we need a lock around this?
Let's use an enum for the states.
Why is the query so slow?
Install the package and import it.
Write an algorithm that finds the shortest path in a graph.
Increase the timeout and try again.
Simplify the condition in the if statement.
What files did you change?
Run the linter and fix the warnings.
Create an HTML page with a form and a table.
Build a REST client with retries.
The icon is not aligned with the label.
Add logging so that we can see what happens.
How would you structure this project?
Find all the places where this is called.
Crash report: the app closes when I rotate the screen. Steps to reproduce: open the app and rotate it.
After upgrading to the new version the serializer raises a type error when a field is missing.
It should be possible to pass a custom formatter to the function; currently the argument is ignored.
Train a classifier on this data set and report the accuracy.
Mach die Funktion kürzer und schreibe einen Test dazu.
Warum schlägt der Build fehl?
Erkläre mir diesen Fehler.
Corrige el error en este archivo.
¿Cómo puedo ordenar una lista en Java?
Ajoute un test pour cette fonction.
Explique ce que fait ce code.
Исправь ошибку в этом скрипте.
Как прочитать файл построчно?
帮我写一个排序函数。
这个报错是什么意思？
このコードを説明してください。
バグを直してテストを追加して。
이 함수를 더 빠르게 만들어 줘.
Escreva um teste para esta classe.
Scrivi una query che raggruppa per mese.
Bu hatayı nasıl düzeltirim?
Napisz skrypt, który kopiuje pliki.
""".strip().splitlines()
)

EVERYDAY: Final = tuple(
    """
What is the capital of Australia?
Suggest a recipe for dinner with what is in the fridge.
How tall is the highest mountain in Africa?
Write a birthday card for a friend.
What should I wear to a job interview?
Recommend a good book for a long flight.
Who won the world cup that year?
Plan a weekend trip to the sea for two people.
How long does it take to boil an egg?
Explain inflation in simple words.
What is the weather usually like in spring?
Help me write an e-mail to my landlord.
Which phone should I buy?
Translate this sentence into French.
How do I get a stain out of a shirt?
What are the symptoms of a cold?
Tell me a joke.
When was the printing press invented?
I feel tired all the time, what can I do?
What is a good present for a child?
Summarise this article in three sentences.
How many calories are in a banana?
Where can I go skiing in December?
What happened in the last episode?
Which river flows through the city?
Who wrote this novel?
Give me ideas for a team event.
How can I sleep better?
What is the best way to learn a language?
Write a short story about a dragon.
How do I ask my boss for a raise?
What exercises help against back pain?
Is it cheaper to rent or to buy?
How do I get from the airport to the centre?
What does this word mean?
Which wine goes with fish?
Can you proofread my letter?
How do I keep my plants alive while I am away?
Suggest a name for a cat.
What time is it in Tokyo?
How often should I water the garden?
What should I pack for a week in the mountains?
Which film should we watch tonight?
How do I calm a crying baby?
What is the population of Brazil?
Make me a training plan for a run.
What are the rules of chess?
When did the war end?
How do I make coffee without a machine?
What should I cook for guests?
Which school did she go to?
What did he say about the meeting?
How much money do I need to save each month?
Where did I leave my keys?
What was the name of that restaurant?
When is the next holiday?
Who is coming to the party?
What did we decide last time?
Which insurance do I need for my car?
How old is my dog in human years?
What colour should I paint the kitchen?
When is my appointment?
What is my password?
Who is responsible for the project?
How much did we spend last year?
What are the opening hours?
Which train do I have to take?
What is the deadline for the application?
Where do we keep the documents?
What does my contract say about holidays?
How do whales sleep?
Which birds fly the furthest?
Why do dogs bark at strangers?
How many legs does a spider have?
What do hedgehogs eat in winter?
How do bees make honey?
How do I grow tomatoes on a balcony?
When should roses be cut back?
Which trees lose their leaves first?
Why are the leaves of the plant turning yellow?
How do I make bread rise?
What can I use instead of eggs in a cake?
How long does cooked rice keep in the fridge?
Why is my soup too salty?
What is the secret of a good sauce?
How is cheese made?
Which vegetables can be frozen?
How much caffeine is in a cup of espresso?
What is the difference between green and black tea?
How is beer brewed?
How many keys does a piano have?
How do I tune a guitar?
Who composed the moonlight sonata?
What is a chord made of?
How does a violin make its sound?
Where does this expression come from?
How many people speak Portuguese?
What is the plural of this noun?
Which letters are silent in English?
How do children learn to talk?
How fast does an aeroplane fly?
Which is the longest railway line?
How do I change a bicycle tyre?
Why do ships float?
How does a bus driver get a licence?
How far away is the moon?
Why is the sea blue?
What causes thunder?
How old is the universe?
How do rainbows form?
Who built the pyramids?
When did the Roman empire fall?
What was life like in the Middle Ages?
Which king had six wives?
When did people first use fire?
Which animals lived in the ice age?
Which countries border Switzerland?
What is the largest desert?
Where does the Danube begin?
How many islands belong to Greece?
Why does the heart beat faster when we run?
How much water should a person drink?
What helps against a headache?
Which vitamins are in an orange?
Are cats allergic to anything?
How does an antibiotic work?
How do I get fit after a break?
How many players are in a handball team?
What is offside in football?
How do I start with yoga?
Which card games can be played alone?
How do you win at backgammon?
What is a good first move?
Who painted the sunflowers?
How do I draw a face?
What is the book about?
Which novels take place in Paris?
Who is the villain in the fairy tale?
Which films did this director make?
Is it going to be a cold winter?
How do magnets work?
What is electricity?
Why does ice float on water?
What happens when iron rusts?
What is a prime number?
How do I calculate a percentage?
What is the area of a circle?
How does a mortgage work?
What is a good way to save money?
How are taxes calculated?
Do I need a lawyer for that?
What is written in a will?
How do I unblock a drain?
Which paint is best for a bathroom?
How do I remove mould from a wall?
How do I fold a shirt?
Which shoes are good for hiking?
How do I wash a woollen jumper?
Which colours go well together?
What games can small children play outside?
When do babies start to walk?
What should be in a school bag?
How do I write a good essay?
What should I ask in an interview?
What does an architect do all day?
How do I prepare a presentation?
What do people eat at Easter?
Why do we celebrate New Year?
What do monks do all day?
How do I sharpen a knife?
Which screws hold in concrete?
How often does a car need new oil?
What is the range of an electric car?
How do I take better photos with my phone?
Why is my computer so slow?
Which browser is the fastest?
How do I back up my photos?
What is a podcast?
How does a search engine work?
How do I meet people in a new city?
What do I say at a funeral?
How do I cope with stress?
Why do we dream?
How do I stop a nosebleed?
Which museum is worth a visit?
What are typical dishes from Mexico?
Plan a menu for a birthday party.
Write a poem about the sea.
Give me a tongue twister.
Write a speech for a wedding.
Tell me something interesting about bridges.
What can I do on a rainy afternoon?
How should I decorate a small room?
Recommend a hotel with a pool.
Which gift suits a colleague who retires?
How do I say no politely?
Was ist die Hauptstadt von Kanada?
Was soll ich heute kochen?
Wie lange dauert der Flug?
Wann ist der nächste Termin?
¿Qué puedo regalar a mi madre?
¿Cuántos habitantes tiene el país?
Quel film peux-tu me conseiller ?
Quand a été construit le pont ?
Какая завтра погода?
Посоветуй хорошую книгу.
Когда началась война?
北京有多少人口？
推荐一家好吃的餐厅。
我明天应该穿什么？
今日の夕食は何がいい？
いつ会議がありますか？
주말에 어디로 여행 가면 좋을까?
Qual é a melhor época para viajar?
Quanto costa un biglietto per Roma?
Hafta sonu ne yapabilirim?
Jaka jest stolica Norwegii?
ما هي عاصمة مصر؟
เมืองหลวงของญี่ปุ่นคืออะไร
Thủ đô của Pháp là gì?
भारत की राजधानी क्या है?
Ποια είναι η πρωτεύουσα της Ιταλίας;
Wat is een goed cadeau voor een collega?
Care este capitala Ungariei?
""".strip().splitlines()
)
