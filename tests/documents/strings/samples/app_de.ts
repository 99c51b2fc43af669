<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE">
<context>
    <name>Window</name>
    <message>
        <location filename="a.cpp" line="3"/>
        <source>&amp;Open</source>
        <translation>Ö&amp;ffnen</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation><numerusform>%n Datei</numerusform><numerusform>%n Dateien</numerusform></translation>
    </message>
    <message>
        <source>Close</source>
        <comment>door</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Old</source>
        <translation type="vanished">Alt</translation>
    </message>
    <message>
        <source>Bold</source>
        <comment>font</comment>
        <translation type="unfinished">Fett &lt;b&gt;</translation>
    </message>
</context>
</TS>
